import type { ErrorCode, Role } from '@signalbox/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TSchema, TUndefined } from 'typebox';
import type { Authenticator } from '../auth/authenticator.ts';
import type { Caller, NodeContext } from '../context/index.ts';
import type { RequestHeader } from './request-headers.ts';

/** What a change leaves in the audit log beside who, when and what. Every field has a default. */
export interface AuditNote {
  /** Whose log it is in. Default: the platform's for routes of the platform, else the caller's tenant. */
  tenant?: string;
  /** Default: the route's parameters. */
  target?: string;
  before?: string;
  after?: string;
  /** Default: the body's `reason`, else the header `Signalbox-Reason`. */
  reason?: string;
}

export interface RouteRequest<P, Q, B> {
  readonly context: NodeContext;
  readonly auth: Authenticator;
  readonly caller: Caller;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** The body of a route that takes `bytes`, or one that came `packed`; else empty. */
  readonly bytes: Uint8Array;
  /** The declared ones; all of them for a route that takes `bytes`. */
  readonly headers: FastifyRequest['headers'];
  readonly reply: FastifyReply;
  /** Filled in by handlers of routes with an `audit` action; written once the handler has returned. */
  readonly note: AuditNote;
}

/**
 * One route of the API, declared as data: what validates it, documents it, guards it and audits it
 * reads the same declaration, so no handler can forget any of the four.
 */
export interface Route<
  P extends TSchema = TSchema,
  Q extends TSchema = TSchema,
  B extends TSchema = TSchema,
> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below /api/v1, with `:name` for parameters. */
  readonly url: string;
  /**
   * The least role that may call it; `none` asks for no key at all. `signed`: neither, but the handler
   * lets in nobody whose body is not signed with the secret of what is called.
   */
  readonly role: Role | 'none' | 'signed';
  /** Only keys of the platform. */
  readonly platform?: boolean;
  /** Keys of role `worker` too, which otherwise may only attach. */
  readonly alsoWorker?: boolean;
  /** Keys of the platform may send `Signalbox-Tenant: *`; elsewhere they name one tenant. */
  readonly everyTenant?: boolean;
  readonly summary: string;
  /** Rules for requests that the schemas cannot express, each a sentence for the API document. */
  readonly rules?: readonly string[];
  /** Request headers that the handler reads, beside those that follow from the rest of the declaration. */
  readonly reads?: readonly RequestHeader[];
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  /** The body is bytes of any type, up to the size of a blob … */
  readonly bytes?: boolean;
  /** … or up to so many. */
  readonly bytesMax?: number;
  /** What its bytes usually are, for the description of the API. */
  readonly contentTypes?: readonly string[];
  /** A content type beside JSON in which the body may come: the handler gets it as `bytes`. */
  readonly packed?: { readonly contentType: string; readonly description: string };
  /** By status; null for an answer that is not JSON or has no body. */
  readonly response: Readonly<Record<number, TSchema | null>>;
  /** The content type of a successful response that is not JSON. */
  readonly contentType?: string;
  /** Successful responses have the version as `ETag`. */
  readonly versioned?: boolean;
  /** The path below the API of what the response 201 has created, from the response body. */
  readonly location?: (created: never) => string;
  /** Error codes of the handler, beside those that `operation-errors.ts` derives. */
  readonly errors?: readonly ErrorCode[];
  /** What the audit log calls it: `job.update`, `run.cancel`. Every change has one … */
  readonly audit?: string;
  /** … except submissions, which the run itself traces to the key (`trigger.by`). */
  readonly submits?: boolean;
  /** The response is an event stream: it is counted, and ends with its key. */
  readonly streams?: boolean;
  /** The request can wait for up to a minute: it ends with its key. */
  readonly waits?: boolean;
  /** Answers the body; sets another status than 200 with `reply.code`. After `reply.hijack()` nothing is sent. */
  handler(request: RouteRequest<Static<P>, Static<Q>, Static<B>>): Promise<unknown>;
}

/** Infers the types of parameters, query and body from their schemas. */
export function route<
  P extends TSchema = TUndefined,
  Q extends TSchema = TUndefined,
  B extends TSchema = TUndefined,
>(declared: Route<P, Q, B>): Route {
  return declared as unknown as Route;
}
