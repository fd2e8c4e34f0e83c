export interface GroupSegmentRange {
  readonly fromSeq: number;
  readonly toSeq: number;
}

/** As `create-run-segment`, for a range of seqs over all partitions. */
export function createGroupSegment(s: string, { fromSeq, toSeq }: GroupSegmentRange): string {
  return `
create table ${s}.groups_${fromSeq} (like ${s}.groups including all);
alter table ${s}.groups attach partition ${s}.groups_${fromSeq}
  for values from (${fromSeq}) to (${toSeq});
insert into ${s}.group_segments (from_seq, to_seq) values (${fromSeq}, ${toSeq});`;
}
