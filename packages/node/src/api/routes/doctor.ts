import { Doctor } from '@signalbox/protocol';
import { examine } from '../../operations/doctor.ts';
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
];
