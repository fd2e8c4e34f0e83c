import type { Route } from './route.ts';
import { auditRoutes } from './routes/audit.ts';
import { blobsRoutes } from './routes/blobs.ts';
import { calendarsRoutes } from './routes/calendars.ts';
import { changeRunsRoutes } from './routes/change-runs.ts';
import { doctorRoutes } from './routes/doctor.ts';
import { eventsRoutes } from './routes/events.ts';
import { healthRoutes } from './routes/health.ts';
import { jobsRoutes } from './routes/jobs.ts';
import { keysRoutes } from './routes/keys.ts';
import { metricsRoutes } from './routes/metrics.ts';
import { openapiRoutes } from './routes/openapi.ts';
import { queuesRoutes } from './routes/queues.ts';
import { runsRoutes } from './routes/runs.ts';
import { schedulesRoutes } from './routes/schedules.ts';
import { secretsRoutes } from './routes/secrets.ts';
import { tasksRoutes } from './routes/tasks.ts';
import { tenantsRoutes } from './routes/tenants.ts';
import { triggersRoutes } from './routes/triggers.ts';
import { webhooksRoutes } from './routes/webhooks.ts';
import { whoamiRoutes } from './routes/whoami.ts';
import { workersRoutes } from './routes/workers.ts';

/** The whole API, but for the worker link, which is no request. */
export const ROUTES: readonly Route[] = [
  ...healthRoutes,
  ...whoamiRoutes,
  ...jobsRoutes,
  ...schedulesRoutes,
  ...triggersRoutes,
  ...calendarsRoutes,
  ...runsRoutes,
  ...changeRunsRoutes,
  ...tasksRoutes,
  ...eventsRoutes,
  ...workersRoutes,
  ...queuesRoutes,
  ...blobsRoutes,
  ...tenantsRoutes,
  ...keysRoutes,
  ...secretsRoutes,
  ...webhooksRoutes,
  ...auditRoutes,
  ...doctorRoutes,
  ...metricsRoutes,
  ...openapiRoutes(() => ROUTES),
];
