/** Changes when another connection has committed: reads the file's counter, touches no table. */
export const readDataVersion = 'PRAGMA data_version';
