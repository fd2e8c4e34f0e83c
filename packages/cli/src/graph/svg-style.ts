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
.SUCCEEDED .box{stroke:var(--good)}.SUCCEEDED .name{fill:var(--good)}
.RUNNING .box,.ASSIGNED .box{stroke:var(--busy);stroke-width:2.2}.RUNNING .name,.ASSIGNED .name{fill:var(--busy)}
.QUEUED .box{stroke:var(--wait)}.QUEUED .name{fill:var(--wait)}
.FAILED .box,.TIMED_OUT .box,.QUARANTINED .box{stroke:var(--bad);stroke-width:2.2}.FAILED .name,.TIMED_OUT .name,.QUARANTINED .name{fill:var(--bad)}
.PENDING .box,.CANCELLED .box,.SKIPPED .box{stroke-dasharray:4 3}
`.trim();
