/** Against writers of this range of seqs only: a busy partition is far beyond it. */
export function lockGroupSegment(s: string, fromSeq: number): string {
  return `lock table ${s}.groups_${fromSeq} in share row exclusive mode`;
}
