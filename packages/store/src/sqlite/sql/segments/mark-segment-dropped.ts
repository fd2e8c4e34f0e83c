/** The row stays behind, so that a dropped segment is never created again. */
export const markSegmentDropped =
  "UPDATE segments SET state = 'dropped' WHERE segment = ? AND state = 'sealed'";
