import type { Layout } from './layout.ts';
import { type ChannelLink, type Net, type Routed, routeChannel } from './route-channel.ts';
import type { Turned } from './turned.ts';

const SHIFTS_MAX = 8;

/** The lines between two layers. */
export interface Channel {
  readonly nets: readonly Net[];
  readonly tracks: number;
  /** Where an arrow ends at a box; elsewhere a line only passes. */
  readonly heads: ReadonlySet<number>;
}

/** Where the edges of each slot leave and come in, and how they get from layer to layer. */
export function channelsOf(layout: Layout): { ports: number[]; channels: Channel[] } {
  const ports = layout.slots.map(({ middle }) => Math.floor(middle));
  const channels = layout.layers.slice(1).map((layer, i) => {
    const links = layout.links.filter(([from]) => layout.slots[from]?.layer === i);
    const route = (): Routed => routeChannel(links.map((link) => ended(link, ports)));
    let routed = route();
    // Lines that would lie on each other in every order do not where no two places are level.
    for (let shift = 0; !routed.isClean && shift < SHIFTS_MAX; shift++) {
      for (const slot of layer) ports[slot] = (ports[slot] ?? 0) + 1;
      routed = route();
    }
    const { nets } = routed;
    const tracks = Math.max(0, ...nets.map(({ track }) => (track ?? -1) + 1));
    const boxes = layer.filter((slot) => layout.slots[slot]?.box !== null);
    return { nets, tracks, heads: new Set(boxes.map((slot) => ports[slot] as number)) };
  });
  return { ports, channels };
}

function ended([source, target]: readonly [number, number], at: readonly number[]): ChannelLink {
  return { source, sourceAt: at[source] ?? 0, target, targetAt: at[target] ?? 0 };
}

/** Room for the tracks, a step before them, and the head of the arrow. */
export function channelDepth(tracks: number, isDown: boolean): number {
  if (tracks === 0) return isDown ? 2 : 4;
  return isDown ? tracks + 1 : tracks * 2 + 2;
}

export function drawChannel(
  draw: Turned,
  { nets, heads }: Channel,
  { from, to, isDown, isAscii }: { from: number; to: number; isDown: boolean; isAscii: boolean },
): void {
  const head = isDown ? (isAscii ? 'v' : '▼') : isAscii ? '>' : '▶';
  for (const { sources, targets, track } of nets) {
    const turn = track === null ? from : isDown ? from + track : from + 1 + track * 2;
    for (const source of sources) draw.line([from - 1, source], [turn, source]);
    for (const target of targets) draw.line([turn, target], [to - 1, target]);
    const ends = [...sources, ...targets];
    const [first, last] = [Math.min(...ends), Math.max(...ends)];
    if (first !== last) draw.line([turn, first], [turn, last]);
    for (const end of ends) draw.join([turn, end]);
    for (const target of targets) if (heads.has(target)) draw.text([to - 1, target], head);
  }
}
