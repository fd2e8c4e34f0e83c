/** One row in place: a write whose only purpose is to be durable. */
export const countResolvedDoubt = `
INSERT INTO settings (name, value) VALUES ('doubtsResolved', 1)
ON CONFLICT (name) DO UPDATE SET value = value + 1`;
