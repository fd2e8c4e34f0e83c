/** What becomes of events; each counts towards `signalbox_events_total` of that outcome. */
export type EventOutcome =
  /** It was taken. */
  | 'received'
  /** A trigger made a run of it. */
  | 'matched'
  /** The run was there before. */
  | 'duplicate'
  /** Nobody wanted it. */
  | 'unmatched'
  /** It is no event, or no run could be made of it. */
  | 'rejected';

export type EventCounts = (outcome: EventOutcome, count: number) => void;
