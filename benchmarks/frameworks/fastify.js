// The interface on Fastify.

import { randomUUID } from 'node:crypto';

import bearerAuth from '@fastify/bearer-auth';
import Fastify from 'fastify';

import * as domain from './domain.js';
import { start } from './start.js';

const MISTAKES = {
  'default-404': ['the default error answers an unknown identifier', ['7-not-found-message']],
  'default-401': ['the default error answers a missing token', ['7-unauthorized-message']],
  'bearer-auth': ['@fastify/bearer-auth answers 401 without message', ['2.4-message', '7-unauthorized-message']],
  'token-in-pre-handler': ['the body is parsed before the hook that looks at the token', ['5.3-create-without-token']],
  'schema-before-token': ['the identifier is validated before the token', ['5.3-read-without-token']],
  'empty-json-body': ['a labelled empty body is FST_ERR_CTP_EMPTY_JSON_BODY', ['4.1-empty-body-labelled']],
  'schema-enum': ['a schema answers an unknown type FST_ERR_VALIDATION', ['7-invalid-data-types-error']],
  'schema-language': ['a schema answers another language FST_ERR_VALIDATION', ['7-language-not-supported-error']],
  'bad-request': ['the limit is a Bad Request of the default error', ['7-limit-reached-error']],
  'response-schema-drops': ['a response schema without dataRequested drops it', ['2.1-dataRequested']],
  'response-schema-null': ['a response schema writes null as an empty string', ['2.1-completedAt']],
  'response-schema-date': ["format 'date' in the response schema cuts createdAt", ['2.1-createdAt']],
  'created-201': ['reply.code(201)', ['4.1-answers-200']],
  'no-content-204': ['reply.code(204).send()', ['4.3-answers-ok']],
  'slash': ['the route is /requests/', ['4.1-answers-200']],
  'await-between': ['another creation comes between counting and storing', ['8-limit-enforced-in-parallel']],
};
const VARIANTS = {
  'uuid-400': 'a schema answers an identifier that is no UUID 400, with error and message, after the token',
  'max-param-length': 'an identifier of more than 100 characters is answered 414',
  'default-415': 'another media type is answered FST_ERR_CTP_INVALID_MEDIA_TYPE, with error and message',
};

/** An error of the interface. */
class Refused extends Error {
  constructor(statusCode, problem) {
    super(problem.message);
    Object.assign(this, { statusCode, problem });
  }
}

async function create(wrong) {
  const routerOptions = wrong === 'max-param-length' ? {} : { maxParamLength: 5000 };
  const app = Fastify({ routerOptions });
  const requests = new Map();

  app.setErrorHandler((error, request, reply) => {
    if (error.problem) return reply.code(error.statusCode).send(error.problem);
    reply.send(error); // with statusCode, code, error and message
  });

  const notFound = () => {
    if (wrong === 'default-404') throw Object.assign(new Error('No such request'), { statusCode: 404 });
    throw new Refused(404, domain.NOT_FOUND);
  };

  async function authenticate(request) {
    const [scheme, token] = (request.headers.authorization ?? '').split(' ');
    if (scheme.toLowerCase() !== 'bearer' || !Object.hasOwn(domain.TOKENS, token)) {
      if (wrong === 'default-401') throw Object.assign(new Error('Unauthorized'), { statusCode: 401 });
      throw new Refused(401, domain.UNAUTHORIZED);
    }
    request.user = domain.TOKENS[token];
  }

  // Without these Fastify refuses an empty body that is labelled, and every label but two.
  if (wrong !== 'empty-json-body') {
    const parse = (request, body, done) => {
      try {
        done(null, body === '' ? undefined : JSON.parse(body));
      } catch {
        done(new Refused(400, domain.INVALID_DATA_TYPES));
      }
    };
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('application/json', { parseAs: 'string' }, parse);
    if (wrong !== 'default-415') app.addContentTypeParser('*', { parseAs: 'string' }, parse);
  }

  const shown = (request) => ({
    requestId: request.id,
    createdAt: request.createdAt,
    isCompleted: false,
    ...(wrong === 'response-schema-null' && { completedAt: null }),
    dataRequested: request.types,
  });
  const properties = {
    requestId: { type: 'string' },
    createdAt: { type: 'string', format: wrong === 'response-schema-date' ? 'date' : 'date-time' },
    isCompleted: { type: 'boolean' },
    completedAt: { type: 'string' },
    ...(wrong !== 'response-schema-drops' && { dataRequested: { type: 'array', items: { type: 'string' } } }),
  };
  const response = { 200: { type: 'object', properties }, 201: { type: 'object', properties } };

  await app.register(async (secured) => {
    if (wrong === 'bearer-auth') {
      secured.register(bearerAuth, { keys: new Set(Object.keys(domain.TOKENS)) });
      secured.addHook('preHandler', authenticate);
    } else {
      const early = !['token-in-pre-handler', 'schema-before-token'].includes(wrong);
      secured.addHook(early ? 'onRequest' : 'preHandler', authenticate);
    }

    const body = wrong === 'schema-enum' && { type: 'array', items: { enum: domain.NAMES } };
    const creation = { schema: { response, ...(body && { body: { ...body, nullable: true } }) } };
    secured.post(wrong === 'slash' ? '/requests/' : '/requests', creation, async (request, reply) => {
      const types = request.body ?? domain.NAMES;
      if (!Array.isArray(types) || !types.every((each) => domain.NAMES.includes(each))) {
        throw new Refused(400, domain.INVALID_DATA_TYPES);
      }
      const held = [...requests.values()].filter((each) => each.user === request.user).length;
      if (wrong === 'await-between') await new Promise((resolve) => setTimeout(resolve, 10)); // like a database
      if (held >= domain.LIMIT) {
        if (wrong === 'bad-request') {
          throw Object.assign(new Error(domain.LIMIT_REACHED.message), { statusCode: 400 });
        }
        throw new Refused(400, domain.LIMIT_REACHED);
      }
      const made = { id: randomUUID(), user: request.user, createdAt: new Date(), types: [...new Set(types)] };
      requests.set(made.id, made);
      return reply.code(wrong === 'created-201' ? 201 : 200).send(shown(made));
    });

    const params = { type: 'object', properties: { id: { type: 'string', format: 'uuid' } } };
    const validated = ['uuid-400', 'schema-before-token'].includes(wrong) && { params };
    const find = (request) => {
      const found = requests.get(request.params.id);
      return found?.user === request.user ? found : notFound();
    };
    secured.get('/requests/:id', { schema: { response, ...validated } }, async (request) => shown(find(request)));
    secured.delete('/requests/:id', { schema: { ...validated } }, async (request, reply) => {
      requests.delete(find(request).id);
      return wrong === 'no-content-204' ? reply.code(204).send() : reply.send('OK');
    });
    secured.get('/data/me', async (request) => ({ account: { name: request.user }, types: domain.NAMES }));
  });

  app.get('/settings', async () => domain.SETTINGS);

  const headers = { type: 'object', properties: { 'accept-language': { enum: [...domain.LANGUAGES, '*'] } } };
  app.get('/data', { schema: wrong === 'schema-language' ? { headers } : {} }, async (request) => {
    const asked = (request.headers['accept-language'] ?? '*').split(/[,;]/)[0].trim().toLowerCase();
    const language = asked === '*' ? domain.LANGUAGES[0] : asked.split('-')[0];
    if (!domain.LANGUAGES.includes(language)) throw new Refused(400, domain.LANGUAGE_NOT_SUPPORTED);
    return domain.described(language);
  });
  return app;
}

start(MISTAKES, VARIANTS, async (wrong) => {
  const app = await create(wrong);
  await app.listen({ port: 0, host: '127.0.0.1' });
  return app.server;
});
