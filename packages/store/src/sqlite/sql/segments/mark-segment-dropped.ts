/** The row stays behind, so that a dropped segment is never made again. */
export const markSegmentDropped =
  "UPDATE segments SET state = 'dropped' WHERE segment = ? AND state = 'sealed'";
