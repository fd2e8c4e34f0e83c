import {
  Name,
  ReceivedEvent,
  ReceivedEvents,
  Trigger,
  TriggerDefinition,
  TriggerTest,
  TriggerTested,
} from '@signalbox/protocol';
import { Type } from '@signalbox/protocol/type';
import { ApiError } from '../../errors/api-error.ts';
import {
  checkTrigger,
  deleteTrigger,
  getTrigger,
  listTriggers,
  pauseTrigger,
  receiveEvents,
  receiveHook,
  resumeTrigger,
  saveTrigger,
  testTrigger,
} from '../../operations/index.ts';
import { EVENT_TYPES, readHttpEvents } from '../../triggers/read-http-event.ts';
import { BODY_BYTES_MAX } from '../base.ts';
import { definitionRoutes } from '../definition-routes.ts';
import { type Route, route } from '../route.ts';
import { TRIGGER_RULES } from '../rules.ts';

/** Of all styles of signatures; the trigger decides which one is read. */
const HOOK_HEADERS = [
  'X-Hub-Signature-256',
  'X-GitHub-Delivery',
  'X-GitHub-Event',
  'Stripe-Signature',
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
] as const;

const triggers = definitionRoutes({
  kind: 'trigger',
  View: Trigger,
  Definition: TriggerDefinition,
  rules: TRIGGER_RULES,
  errors: ['not_found'],
  hasJob: true,
  save: saveTrigger,
  check: checkTrigger,
  get: getTrigger,
  list: listTriggers,
  remove: deleteTrigger,
  summaries: {
    create:
      'Creates a trigger; 409 if the name exists; a generated hook secret is returned only once',
    update: 'Creates or updates a trigger; If-Match names the expected version',
    get: 'Returns the newest version of a trigger, including a deleted one, and its recent refusals',
    remove: 'Deletes a trigger; its versions and runs remain',
  },
});

const savedRoutes: readonly Route[] = [
  triggers.create,
  triggers.update,
  triggers.check,
  triggers.list,
  triggers.get,
  triggers.remove,
  triggers.changing(
    'pause',
    'Pauses a trigger: it starts no runs until it is resumed',
    pauseTrigger,
  ),
  triggers.changing('resume', 'Resumes a paused trigger', resumeTrigger),
  route({
    method: 'POST',
    url: '/triggers/test',
    role: 'viewer',
    summary:
      'Evaluates a trigger for an event, or for `data` as the data of a matching event; saves and starts nothing',
    rules: ['Either `name` or `definition`, and either `event` or `data`.'],
    body: TriggerTest,
    response: { 200: TriggerTested },
    errors: ['not_found'],
    audit: 'trigger.test',
    handler: async ({ context, caller, body, note }) => {
      note.target = body.name ?? 'a definition';
      return testTrigger(context, caller, body);
    },
  }),
];

const eventRoutes: readonly Route[] = [
  route({
    method: 'POST',
    url: '/events',
    role: 'submitter',
    summary: 'Accepts CloudEvents: one, a batch, or one with its attributes in headers',
    rules: ['The source `signalbox` is reserved; a batch has a limited number of events.'],
    bytes: true,
    bytesMax: BODY_BYTES_MAX,
    contentTypes: EVENT_TYPES,
    reads: ['ce-specversion', 'ce-id', 'ce-source', 'ce-type'],
    response: { 200: ReceivedEvents },
    errors: ['overloaded', 'not_owner'],
    submits: true,
    handler: async ({ context, caller, headers, bytes }) => {
      try {
        const events = readHttpEvents(headers, bytes);
        return { events: await receiveEvents(context, caller, { events }) };
      } catch (error) {
        if (error instanceof ApiError && error.code === 'invalid') {
          context.triggers.count('rejected', 1);
        }
        throw error;
      }
    },
  }),
  route({
    method: 'POST',
    url: '/hooks/:tenant/:trigger',
    role: 'signed',
    summary: 'Accepts a webhook delivery signed with the secret of the trigger',
    params: Type.Object({ tenant: Name, trigger: Name }),
    bytes: true,
    bytesMax: BODY_BYTES_MAX,
    contentTypes: ['application/json'],
    reads: HOOK_HEADERS,
    response: { 200: ReceivedEvent },
    errors: ['unauthenticated', 'overloaded', 'not_owner'],
    submits: true,
    handler: ({ context, caller, params, headers, bytes }) => {
      const { tenant, trigger: name } = params;
      return receiveHook(context, caller, { tenant, name, headers, body: bytes });
    },
  }),
];

export const triggersRoutes: readonly Route[] = [...savedRoutes, ...eventRoutes];
