import { Role } from '@signalbox/protocol';
import { Type } from '@signalbox/protocol/type';
import { type Route, route } from '../route.ts';

export const WhoAmI = Type.Object({
  key: Type.String(),
  tenant: Type.String(),
  role: Role,
  platform: Type.Boolean(),
});

export const whoamiRoutes: readonly Route[] = [
  route({
    method: 'GET',
    url: '/whoami',
    role: 'viewer',
    alsoWorker: true,
    everyTenant: true,
    summary: 'Get the id, the tenant and the role of the key that sent the request',
    response: { 200: WhoAmI },
    handler: async ({ caller: { key, tenant, role, platform } }) => ({
      key,
      tenant,
      role,
      platform,
    }),
  }),
];
