import type { BoxState } from './states.ts';

interface Look {
  /** The variable with the colour of border and name. */
  readonly colour?: 'good' | 'busy' | 'wait' | 'bad';
  readonly border?: 'thick' | 'dashed';
}

const LOOKS: Readonly<Record<BoxState, Look>> = {
  SUCCEEDED: { colour: 'good' },
  RUNNING: { colour: 'busy', border: 'thick' },
  ASSIGNED: { colour: 'busy', border: 'thick' },
  QUEUED: { colour: 'wait' },
  FAILED: { colour: 'bad', border: 'thick' },
  TIMED_OUT: { colour: 'bad', border: 'thick' },
  QUARANTINED: { colour: 'bad', border: 'thick' },
  PENDING: { border: 'dashed' },
  CANCELLED: { border: 'dashed' },
  SKIPPED: { border: 'dashed' },
};

function rulesOf([state, { colour, border }]: readonly [string, Look]): string {
  const box = [
    ...(colour === undefined ? [] : [`stroke:var(--${colour})`]),
    ...(border === 'thick' ? ['stroke-width:2.2'] : []),
    ...(border === 'dashed' ? ['stroke-dasharray:4 3'] : []),
  ];
  const name = colour === undefined ? '' : `.${state} .name{fill:var(--${colour})}`;
  return `.${state} .box{${box.join(';')}}${name}`;
}

/** Colours are variables, so that dark is a second set of them and nothing else. */
export const SVG_STYLE = `
:root{--page:#fff;--ink:#18181b;--soft:#52525b;--line:#a1a1aa;--box:#fafafa;--rim:#71717a;--good:#15803d;--busy:#1d4ed8;--wait:#a16207;--bad:#b91c1c}
@media (prefers-color-scheme:dark){:root{--page:#18181b;--ink:#fafafa;--soft:#a1a1aa;--line:#71717a;--box:#27272a;--rim:#a1a1aa;--good:#4ade80;--busy:#60a5fa;--wait:#facc15;--bad:#f87171}}
.page{fill:var(--page)}
.edge{fill:none;stroke:var(--line);stroke-width:1.4}
.head{fill:var(--line)}
.box{fill:var(--box);stroke:var(--rim);stroke-width:1.4}
text{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;text-anchor:middle}
.name{font-size:12px;font-weight:600;fill:var(--ink)}
.note{font-size:10px;fill:var(--soft)}
${Object.entries(LOOKS).map(rulesOf).join('\n')}
`.trim();
