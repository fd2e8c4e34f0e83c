/** Seqs per group segment: some minutes of a busy partition, so that a day stays some hundred tables. */
export const GROUP_SEGMENT_SIZE_DEFAULT = 65_536;
