/**
 * The codes that a tenant sees. Blocked, unresolved and unreachable targets reveal no addresses or times:
 * distinguishing them would let a tenant map the worker's network.
 */
export type HttpFailureCode =
  | 'target_not_allowed'
  | 'invalid'
  | 'too_many_redirects'
  | 'connect_failed'
  | 'response_failed'
  | 'timeout';

const CLASSES: Readonly<Record<HttpFailureCode, 'permanent' | 'transient'>> = {
  target_not_allowed: 'permanent',
  invalid: 'permanent',
  too_many_redirects: 'permanent',
  connect_failed: 'transient',
  response_failed: 'transient',
  timeout: 'transient',
};

export class HttpFailure extends Error {
  override readonly name = 'HttpFailure';
  readonly code: HttpFailureCode;

  constructor(code: HttpFailureCode, detail?: string) {
    super(detail === undefined ? code : `${code}: ${detail}`);
    this.code = code;
  }

  get class(): 'permanent' | 'transient' {
    return CLASSES[this.code];
  }
}
