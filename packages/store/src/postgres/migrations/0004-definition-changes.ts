/** Changes of definitions in the order of time, for whoever carries them out. */
export const definitionChanges = (s: string): string => `
create index definition_changes on ${s}.definitions (kind, at_ms, tenant, name, version);
`;
