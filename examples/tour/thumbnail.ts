/** Runs in a process of its own: it may crash, and the worker goes on. */
export async function thumbnail(image: { url: string }): Promise<string> {
  return `${image.url}?w=64`;
}
