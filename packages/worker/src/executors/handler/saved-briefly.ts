/** How long the end of an attempt waits for a state that goes to the blob store. */
const SAVE_MS = 5_000;

/** Resolves when the state is on its way, or takes too long: the result must not wait for it. */
export async function savedBriefly(saving: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, SAVE_MS);
  });
  await Promise.race([saving, late]);
  clearTimeout(timer);
}
