/** Stands for wherever your files are. */
export const archive = {
  async list(day: string): Promise<{ files: { name: string; rows: number }[] }> {
    return { files: [1, 2, 3, 4].map((n) => ({ name: `${day}-${n}.csv`, rows: n * 100 })) };
  },
  async convert(file: { name: string; rows: number }): Promise<{ rows: number }> {
    return { rows: file.rows };
  },
};
