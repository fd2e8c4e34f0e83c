/**
 * A key may be reserved by an inbox entry, which `inbox` names; `at_ms` is when a key was given to a
 * run that was there before. Both are null in a run's own key, as in every row from before, and no
 * row is rewritten. Entries that wait already reserve their keys from here on.
 */
export const reservedKeys = (s: string): string => `
alter table ${s}.keys add column inbox text collate "C", add column at_ms bigint;
insert into ${s}.keys (tenant, key, run, inbox)
select tenant, key, '00000000-0000-0000-0000-000000000000', id from ${s}.inbox
where key is not null order by at_ms, id
on conflict do nothing;
`;
