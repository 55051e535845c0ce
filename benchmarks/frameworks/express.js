// The interface on Express.

import { randomUUID } from 'node:crypto';
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import express from 'express';

import * as domain from './domain.js';
import { start } from './start.js';

const MISTAKES = {
  'html-404': ["next() leaves an identifier that is no UUID to 'Cannot GET …'", ['0-bodies-are-json', '2.4-object']],
  'html-400': ['malformed JSON is answered with the HTML error page', ['0-bodies-are-json', '2.4-object']],
  'html-415': ['an unknown charset is answered with the HTML error page', ['0-bodies-are-json', '2.4-object']],
  'empty-object': ['express.json() makes {} of an omitted body, which is refused', ['4.1-body-omitted']],
  'json-before-token': ['app.use(express.json()) comes before the token', ['5.3-create-without-token']],
  'send-status': ['res.sendStatus(401) sends the text Unauthorized', ['0-bodies-are-json', '7-unauthorized-error']],
  'ok-labelled-html': ["res.send('OK') is labelled text/html", ['4.3-media-type']],
  'ok-as-json': ["res.json('OK') puts quotes around it", ['4.3-answers-ok']],
  'parse-int': ['identifiers are numbers, and read with parseInt', ['2.1-requestId']],
  'environment': ['maxNumberOfRequests is process.env.LIMIT, a string', ['2.3-maxNumberOfRequests']],
  'date-string': ['createdAt is String(new Date())', ['2.1-createdAt']],
  'epoch': ['createdAt is Date.now()', ['2.1-createdAt']],
  'null-completedAt': ['completedAt is null', ['2.1-completedAt', '3-in-progress-no-completedAt']],
  'sqlite-booleans': ['isErasable is 0 or 1, as SQLite and MySQL have it', ['2.2-isErasable']],
  'set': ['dataRequested is a Set, which JSON.stringify writes as {}', ['2.1-dataRequested']],
  'filter-boolean': ['types.filter(Boolean) drops empty strings', ['7-invalid-data-types']],
  'string-includes': ['a type is looked for in a string of all types', ['7-invalid-data-types']],
  'token-split': ["req.headers.authorization.split(' ')[1] fails without a header", ['5.3-create-without-token']],
  'token-cache': ['a cache of tokens compares their first 12 characters', ['5.3-create-with-bad-token']],
  'await-between': ['another creation comes between counting and storing', ['8-limit-enforced-in-parallel']],
  'saved-later': ['the answer is sent before the request is saved', ['4.2-answers-200', '4.3-answers-ok']],
  'memory-cache': ['GET answers are cached by their URL', ['3-removed']],
  'map-delete': ['requests.delete(…) answers OK whatever was there', ['7-not-found', '3-removed']],
  'accepts-languages': ['req.acceptsLanguages(…) || LANGUAGES[0]', ['7-language-not-supported']],
  'requests-per-process': ['cluster: each process keeps its own requests', ['4.2-answers-200', '4.3-answers-ok'], 2],
  'limit-per-process': ['cluster: each process counts its own creations', ['8-limit-enforced'], 2],
};
const VARIANTS = { 'html-elsewhere': "'Cannot GET …' answers paths that are none of the interface's" };

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Requests in the files of a folder, which several processes share. */
class Files {
  folder = process.env.DATABASE;

  get(id) {
    try {
      return JSON.parse(readFileSync(join(this.folder, id), 'utf8'));
    } catch {
      return undefined;
    }
  }
  set(id, request) {
    writeFileSync(join(this.folder, id), JSON.stringify(request));
  }
  delete(id) {
    rmSync(join(this.folder, id), { force: true });
    return true;
  }
  values() {
    return readdirSync(this.folder).map((id) => this.get(id)).filter(Boolean);
  }
}

function create(wrong) {
  const app = express();
  const requests = wrong === 'limit-per-process' ? new Files() : new Map();
  const counted = new Map();
  const cache = new Map();
  let last = 0;

  const refuse = (res, status, problem) => res.status(status).json(problem);

  const authenticate = (req, res, next) => {
    const header = wrong === 'token-split' ? req.headers.authorization : (req.headers.authorization ?? '');
    const [scheme, token] = header.split(' ');
    let known = Object.hasOwn(domain.TOKENS, token) ? token : undefined;
    if (wrong === 'token-split') token.trim();
    if (wrong === 'token-cache') {
      known = Object.keys(domain.TOKENS).find((each) => each.slice(0, 12) === (token ?? '').slice(0, 12));
    }
    if (!known || scheme.toLowerCase() !== 'bearer') {
      if (wrong === 'send-status') return res.sendStatus(401);
      return refuse(res, 401, domain.UNAUTHORIZED);
    }
    req.user = domain.TOKENS[known];
    next();
  };

  const json = express.json({ strict: wrong === 'html-400', type: () => true });
  if (wrong === 'json-before-token') app.use(json);

  const shown = (request) => {
    const document = {
      requestId: request.id,
      createdAt: request.createdAt,
      isCompleted: false,
      dataRequested: request.types,
    };
    if (wrong === 'date-string') document.createdAt = String(new Date(request.createdAt));
    if (wrong === 'epoch') document.createdAt = Date.parse(request.createdAt);
    if (wrong === 'null-completedAt') document.completedAt = null;
    if (wrong === 'set') document.dataRequested = new Set(request.types);
    return document;
  };

  app.post('/requests', authenticate, json, async (req, res) => {
    // express.json() makes {} of a body of no bytes.
    const omitted = req.body === undefined || (wrong !== 'empty-object' && req.headers['content-length'] === '0');
    let types = omitted ? domain.NAMES : req.body;
    if (wrong === 'filter-boolean' && Array.isArray(types)) types = types.filter(Boolean);
    const known = wrong === 'string-includes' ? domain.NAMES.join() : domain.NAMES;
    if (!Array.isArray(types) || !types.every((each) => typeof each === 'string' && known.includes(each))) {
      return refuse(res, 400, domain.INVALID_DATA_TYPES);
    }
    let held = [...requests.values()].filter((each) => each.user === req.user).length;
    if (wrong === 'limit-per-process') held = counted.get(req.user) ?? 0;
    if (wrong === 'await-between') await pause(10); // as long as a database takes
    if (held >= domain.LIMIT) return refuse(res, 400, domain.LIMIT_REACHED);
    const id = wrong === 'parse-int' ? ++last : randomUUID();
    const made = { id, user: req.user, createdAt: new Date().toISOString(), types: [...new Set(types)] };
    const save = () => requests.set(String(id), made);
    if (wrong === 'saved-later') setTimeout(save, 20);
    else save();
    counted.set(req.user, (counted.get(req.user) ?? 0) + 1);
    res.json(shown(made));
  });

  const find = (req, res, next) => {
    const { id } = req.params;
    if (wrong === 'html-404' && !UUID.test(id)) return next('route');
    req.found = requests.get(wrong === 'parse-int' ? String(parseInt(id, 10)) : id);
    if (req.found?.user !== req.user && !(wrong === 'map-delete' && req.method === 'DELETE')) {
      return refuse(res, 404, domain.NOT_FOUND);
    }
    next();
  };

  const cached = (req, res, next) => {
    if (wrong !== 'memory-cache') return next();
    if (cache.has(req.originalUrl)) return res.json(cache.get(req.originalUrl));
    const send = res.json.bind(res);
    res.json = (body) => {
      if (res.statusCode === 200) cache.set(req.originalUrl, body);
      return send(body);
    };
    next();
  };

  app.get('/requests/:id', authenticate, cached, find, (req, res) => res.json(shown(req.found)));

  app.delete('/requests/:id', authenticate, find, (req, res) => {
    requests.delete(req.params.id);
    counted.set(req.user, (counted.get(req.user) ?? 0) - 1);
    if (wrong === 'ok-labelled-html') return res.send('OK');
    if (wrong === 'ok-as-json') return res.json('OK');
    res.sendStatus(200);
  });

  app.get('/settings', (req, res) => {
    const limit = wrong === 'environment' ? String(domain.LIMIT) : domain.LIMIT;
    res.json({ ...domain.SETTINGS, maxNumberOfRequests: limit });
  });

  app.get('/data', (req, res) => {
    let language = req.acceptsLanguages(...domain.LANGUAGES);
    if (wrong === 'accepts-languages') language ||= domain.LANGUAGES[0];
    if (!language) return refuse(res, 400, domain.LANGUAGE_NOT_SUPPORTED);
    const types = domain.described(language);
    if (wrong === 'sqlite-booleans') types.forEach((each) => (each.isErasable = Number(each.isErasable)));
    res.json(types);
  });

  app.get('/data/me', authenticate, (req, res) => res.json({ account: { name: req.user }, types: domain.NAMES }));

  if (!['html-404', 'html-elsewhere'].includes(wrong)) {
    app.use((req, res) => refuse(res, 404, { error: 'Not Found', message: `Nothing is at ${req.path}.` }));
  }

  // Express knows an error handler by its four parameters.
  app.use((error, req, res, next) => {
    if (wrong === 'html-400' || wrong === 'token-split') return next(error);
    if (wrong === 'html-415' && error.type !== 'entity.parse.failed') return next(error);
    if (error.type === 'entity.parse.failed') return refuse(res, 400, domain.INVALID_DATA_TYPES);
    refuse(res, error.status ?? 500, { error: error.name, message: error.message });
  });
  return app;
}

start(MISTAKES, VARIANTS, async (wrong) => {
  const server = create(wrong).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return server;
});
