/** One table goes as a file. The parent is locked for a moment, after all reading is done. */
export function dropGroupSegment(s: string, fromSeq: number): string {
  return `
lock table ${s}.groups in access exclusive mode;
drop table ${s}.groups_${fromSeq};
delete from ${s}.group_segments where from_seq = ${fromSeq};`;
}
