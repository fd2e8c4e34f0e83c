// Loaded ahead of a program (`--import`): prints the URL of every module that was loaded, at the end.
import { registerHooks } from 'node:module';

const urls = [];
registerHooks({
  load(url, context, nextLoad) {
    urls.push(url);
    return nextLoad(url, context);
  },
});
process.on('exit', () => process.stderr.write(`\nmodules ${JSON.stringify(urls)}\n`));
