import type { Authenticator, Identity } from '../auth/authenticator.ts';

const CHECK_EVERY_MS = 1_500;

interface Links {
  /** Ends the links of a key; answers how many there were. */
  closeSessionsOf(key: string): number;
  stop(): Promise<void>;
}

/**
 * A link is let in once and stays for days. So the keys behind open links are looked at again and
 * again: a revoked or expired one loses its links within five seconds, on every node.
 */
export function watchKeys<L extends Links>(
  auth: Authenticator,
  open: (authenticate: (text: string, ip: string) => Promise<Identity>) => L,
): { readonly links: L; stop(): Promise<void> } {
  const used = new Set<string>();
  const links = open(async (text, ip) => {
    const who = await auth.authenticate(text, ip);
    used.add(who.key);
    return who;
  });
  const look = async (): Promise<void> => {
    for (const key of used) {
      if (await auth.isLive(key)) continue;
      links.closeSessionsOf(key);
      used.delete(key);
    }
  };
  // A store that is away says nothing about a key: the next look asks again.
  const timer = setInterval(() => void look().catch(() => {}), CHECK_EVERY_MS);
  timer.unref();
  return {
    links,
    stop: async () => {
      clearInterval(timer);
      await links.stop();
    },
  };
}
