import {
  Cursor,
  checkedOf,
  Name,
  pageOf,
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
  type SavedTrigger,
  saveTrigger,
  testTrigger,
} from '../../operations/index.ts';
import { EVENT_TYPES, readHttpEvents } from '../../triggers/read-http-event.ts';
import { BODY_BYTES_MAX } from '../base.ts';
import { expectedBy, tagOf } from '../etag.ts';
import { VERSION_HEADERS } from '../request-headers.ts';
import { type Route, type RouteRequest, route } from '../route.ts';
import { TRIGGER_RULES } from '../rules.ts';
import { newestVersion, noteVersion } from '../version-note.ts';

const closed = { additionalProperties: false } as const;
const Named = Type.Object({ trigger: Name });
const Limit = Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 }));

type Request = Pick<RouteRequest<unknown, unknown, unknown>, 'reply' | 'note'>;

function answerSaved({ reply, note }: Request, { trigger, outcome }: SavedTrigger): Trigger {
  note.target = trigger.name;
  noteVersion(note, { version: trigger.version, outcome });
  reply.code(outcome === 'created' ? 201 : 200).header('etag', tagOf(trigger.version));
  return trigger;
}

function changing(action: 'pause' | 'resume', summary: string, change: typeof pauseTrigger): Route {
  return route({
    method: 'POST',
    url: `/triggers/:trigger/${action}`,
    role: 'operator',
    summary,
    params: Named,
    reads: VERSION_HEADERS,
    response: { 200: Trigger },
    versioned: true,
    errors: ['not_found'],
    audit: `trigger.${action}`,
    handler: async ({ context, caller, params, headers, reply, note }) => {
      const { trigger: name } = params;
      const seen = await newestVersion(context, caller, { kind: 'trigger', name });
      const trigger = await change(context, caller, { name, ...expectedBy(headers) });
      noteVersion(note, { version: trigger.version, outcome: trigger.state, seen });
      reply.header('etag', tagOf(trigger.version));
      return trigger;
    },
  });
}

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

const definitionRoutes: readonly Route[] = [
  route({
    method: 'POST',
    url: '/triggers',
    role: 'operator',
    summary:
      'Creates a trigger; 409 if the name exists; a generated hook secret is returned only once',
    rules: TRIGGER_RULES,
    body: Type.Object({ name: Name, definition: TriggerDefinition }, closed),
    reads: VERSION_HEADERS,
    response: { 201: Trigger },
    versioned: true,
    location: ({ name }: { name: string }) => `/triggers/${name}`,
    errors: ['quota_exceeded', 'not_found'],
    audit: 'trigger.create',
    handler: async (request) => {
      const { context, caller, body, headers } = request;
      const wanted = { ...body, expected: { ...expectedBy(headers), isNew: true } };
      return answerSaved(request, await saveTrigger(context, caller, wanted));
    },
  }),
  route({
    method: 'PUT',
    url: '/triggers/:trigger',
    role: 'operator',
    summary: 'Creates or updates a trigger; If-Match names the expected version',
    rules: TRIGGER_RULES,
    params: Named,
    body: TriggerDefinition,
    reads: VERSION_HEADERS,
    response: { 200: Trigger, 201: Trigger },
    versioned: true,
    errors: ['quota_exceeded', 'not_found'],
    audit: 'trigger.update',
    handler: async (request) => {
      const { context, caller, params, body: definition, headers } = request;
      const wanted = { name: params.trigger, definition, expected: expectedBy(headers) };
      return answerSaved(request, await saveTrigger(context, caller, wanted));
    },
  }),
  route({
    method: 'POST',
    url: '/triggers/:trigger/check',
    role: 'viewer',
    summary: 'Validates a trigger and returns what saving it would change; saves nothing',
    rules: TRIGGER_RULES,
    params: Named,
    query: Type.Object({ newJob: Type.Optional(Type.Boolean()) }, { additionalProperties: false }),
    body: TriggerDefinition,
    response: { 200: checkedOf(TriggerDefinition) },
    errors: ['not_found'],
    handler: ({ context, caller, params, query, body }) =>
      checkTrigger(context, caller, {
        name: params.trigger,
        definition: body,
        isJobNew: query.newJob === true,
      }),
  }),
  route({
    method: 'GET',
    url: '/triggers',
    role: 'viewer',
    summary: 'Lists the triggers of the tenant by name',
    query: Type.Object(
      { after: Type.Optional(Cursor), limit: Limit, deleted: Type.Optional(Type.Boolean()) },
      closed,
    ),
    response: { 200: pageOf(Trigger) },
    handler: ({ context, caller, query }) => listTriggers(context, caller, query),
  }),
  route({
    method: 'GET',
    url: '/triggers/:trigger',
    role: 'viewer',
    summary:
      'Returns the newest version of a trigger, including a deleted one, and its recent refusals',
    params: Named,
    response: { 200: Trigger },
    versioned: true,
    errors: ['not_found'],
    handler: async ({ context, caller, params, reply }) => {
      const trigger = await getTrigger(context, caller, { name: params.trigger });
      reply.header('etag', tagOf(trigger.version));
      return trigger;
    },
  }),
  route({
    method: 'DELETE',
    url: '/triggers/:trigger',
    role: 'operator',
    summary: 'Deletes a trigger; its versions and runs remain',
    params: Named,
    reads: VERSION_HEADERS,
    response: { 200: Trigger },
    errors: ['not_found'],
    audit: 'trigger.delete',
    handler: async ({ context, caller, params, headers, note }) => {
      const { trigger: name } = params;
      const trigger = await deleteTrigger(context, caller, { name, ...expectedBy(headers) });
      noteVersion(note, { version: trigger.version, outcome: 'deleted' });
      return trigger;
    },
  }),
  changing('pause', 'Pauses a trigger: it starts no runs until it is resumed', pauseTrigger),
  changing('resume', 'Resumes a paused trigger', resumeTrigger),
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

export const triggersRoutes: readonly Route[] = [...definitionRoutes, ...eventRoutes];
