/** Changes when another connection has committed: reads the file's counter, touches no table. */
export const DATA_VERSION = 'PRAGMA data_version';
