/** One row in place: a write whose only purpose is to be durable. */
export const countSettlement = `
INSERT INTO settings (name, value) VALUES ('settlements', 1)
ON CONFLICT (name) DO UPDATE SET value = value + 1`;
