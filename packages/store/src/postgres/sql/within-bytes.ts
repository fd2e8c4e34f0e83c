/**
 * A page of rows up to the one that reaches the bytes. `order` is the order of the page once more. The
 * length of a value that lies apart or is compressed is known without it.
 */
export function withinBytes(page: {
  readonly rows: string;
  readonly order: string;
  readonly bytes: string;
  readonly bytesMax: string;
}): string {
  const { rows, order, bytes, bytesMax } = page;
  return `
select * from (
  select page.*, sum(${bytes}) over (
    order by ${order} rows between unbounded preceding and 1 preceding
  ) as bytes_before
  from (${rows}
  ) page
) page
where bytes_before is null or bytes_before < ${bytesMax}
order by ${order}`;
}
