export async function double(value: number): Promise<number> {
  return value * 2;
}
