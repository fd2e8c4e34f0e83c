/** A row without a checksum is damaged, so none can be written. */
export const requireChecksums = (s: string): string => `
alter table ${s}.groups alter column checksum set not null;
alter table ${s}.runs alter column checksum set not null, alter column input_checksum set not null;
alter table ${s}.ends alter column checksum set not null, alter column output_checksum set not null;
alter table ${s}.keys alter column checksum set not null;
alter table ${s}.parked alter column checksum set not null;
alter table ${s}.inbox alter column checksum set not null;
alter table ${s}.definitions alter column checksum set not null;
alter table ${s}.checkpoints alter column checksum set not null;
alter table ${s}.older_checkpoints alter column checksum set not null;
`;
