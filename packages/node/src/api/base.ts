/** Where everything of the API is. */
export const API_BASE = '/api/v1';
/** The largest body of a request, and of one that is a blob. */
export const BODY_BYTES_MAX = 1_048_576;
export const BLOB_BYTES_MAX = 67_108_864;
