import { Doctor, ForgetDamagedRows, ForgottenRows } from '@signalbox/protocol';
import { ApiError } from '../../errors/api-error.ts';
import { examine, forgetDamagedRows } from '../../operations/doctor/doctor.ts';
import { type Route, route } from '../route.ts';

export const doctorRoutes: readonly Route[] = [
  route({
    method: 'GET',
    url: '/doctor',
    role: 'admin',
    platform: true,
    everyTenant: true,
    summary: 'Checks store, clocks, partitions and damaged rows, and says what to do',
    response: { 200: Doctor },
    handler: ({ context, caller }) => examine(context, caller, {}),
  }),
  route({
    method: 'POST',
    url: '/doctor/forget',
    role: 'admin',
    platform: true,
    everyTenant: true,
    summary:
      'Removes one damaged row, or all, from the list of the doctor; rows that are still damaged are listed again',
    rules: ['Either `id` or `all` is present.'],
    body: ForgetDamagedRows,
    response: { 200: ForgottenRows },
    audit: 'damaged_row.forget',
    errors: ['not_found'],
    handler: async ({ context, caller, body: { id, all }, note }) => {
      if ((id === undefined) === (all === undefined)) {
        throw new ApiError('invalid', 'expected either "id" or "all"', { field: 'id' });
      }
      note.target = id ?? 'all';
      const result = await forgetDamagedRows(context, caller, { id: id ?? null });
      note.after = JSON.stringify(result);
      return result;
    },
  }),
];
