/** The row stays behind, so that a dropped segment is never made again. */
export const markSegmentDropped =
  'UPDATE segments SET dropped = 1 WHERE segment = ? AND sealed = 1';
