/** The state of a definition that a change requires; without a field, any state. */
export interface Expected {
  /** The version that the author saw (`If-Match`). */
  readonly version?: number;
  /** There must be none yet (`If-None-Match: *`). */
  readonly absent?: boolean;
  /** There must be one already (`If-Match: *`). */
  readonly present?: boolean;
  /** The request creates it (`POST` to the collection): an existing one is a conflict. */
  readonly isNew?: boolean;
}
