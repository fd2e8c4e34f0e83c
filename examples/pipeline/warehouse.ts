/** Stands for whatever holds your data. */
export const warehouse = {
  async extract(_day: string): Promise<void> {},
  async check(_day: string): Promise<void> {},
  async load(day: string): Promise<number> {
    return day.length;
  },
};
