#!/usr/bin/env -S node --disable-warning=ExperimentalWarning
// `npm install signalbox` gives a project the command as well. Plain JavaScript, because an old Node.js
// must get as far as the message of the file that this one loads.
import '@signalbox/cli/main';
