// How benchmarks/frameworks.py drives a service: `node express.js --list` prints what there is to try as JSON, and
// `node express.js NAME` starts the service with that mistake or variant, conforming without a name. It prints one line
// with its port, and ends when its standard input does.

import cluster from 'node:cluster';

import { TOKENS } from './domain.js';

/** `listen(wrong)` resolves to a listening server; a mistake is [summary, requirements, number of processes]. */
export async function start(mistakes, variants, listen) {
  const wrong = process.argv[2] ?? '';
  if (wrong === '--list') {
    process.stdout.write(JSON.stringify({ mistakes, variants }));
    return;
  }
  const workers = mistakes[wrong]?.[2] ?? 1;
  if (workers > 1 && cluster.isPrimary) {
    const ports = Array.from({ length: workers }, () => {
      const worker = cluster.fork();
      return new Promise((resolve) => worker.once('listening', ({ port }) => resolve(port)));
    });
    announce((await Promise.all(ports))[0]);
    return;
  }
  const server = await listen(wrong);
  if (cluster.isPrimary) announce(server.address().port);
}

function announce(port) {
  process.stdout.write(`${JSON.stringify({ port, tokens: Object.keys(TOKENS) })}\n`);
  process.stdin.resume();
  process.stdin.on('end', () => process.exit());
}
