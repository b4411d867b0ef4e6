// `npm run playground [-- PORT]`: serves the playground on loopback until it is interrupted.

import { serve } from './static.mjs';

const { url } = await serve({ port: Number(process.argv[2] ?? 0) });
console.log(`The playground is at ${url}/playground/ (Ctrl-C ends it)`);
