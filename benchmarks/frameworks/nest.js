// The interface on NestJS, in plain JavaScript: decorators are applied by calls.

import 'reflect-metadata';

import { randomUUID } from 'node:crypto';

import * as nest from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { IsIn } from 'class-validator';
import { of, tap } from 'rxjs';

import * as domain from './domain.js';
import { start } from './start.js';

const MISTAKES = {
  'default-not-found': ['NotFoundException() has no error', ['2.4-error', '7-not-found-error']],
  'default-unauthorized': ['UnauthorizedException() has no error', ['2.4-error', '7-unauthorized-error']],
  'guard-returns-false': ['a guard that returns false answers 403', ['5.3-create-without-token']],
  'body-parser': ['the default body parser comes before the guard', ['5.3-create-without-token']],
  'bad-request': ['BadRequestException(message) has the error Bad Request', ['7-invalid-data-types-error']],
  'validation-pipe': ['ValidationPipe answers with an array of messages', ['2.4-message']],
  'parse-array-pipe': ['ParseArrayPipe refuses an omitted body', ['4.1-body-omitted']],
  'parse-uuid-pipe-404': ['ParseUUIDPipe answers 404 with a message of its own', ['7-not-found-message']],
  'created-201': ['@Post() answers 201', ['4.1-answers-200']],
  'no-content-204': ['@HttpCode(204) for the deletion', ['4.3-answers-ok']],
  'ok-labelled-html': ["return 'OK' is labelled text/html", ['4.3-media-type']],
  'entity': ['the entity is returned as it is stored', ['2.1-requestId']],
  'null-columns': ['a nullable column is null', ['2.1-completedAt', '3-in-progress-no-completedAt']],
  'simple-array': ["a 'simple-array' column is returned as text", ['2.1-dataRequested']],
  'cache-interceptor': ['an interceptor caches GET answers by their URL', ['3-removed']],
  'request-scope': ['Scope.REQUEST makes a new store for each call', ['4.2-answers-200', '4.3-answers-ok']],
  'language-fallback': ['an unknown language falls back to the first', ['7-language-not-supported']],
};
const VARIANTS = {
  'parse-uuid-pipe': 'ParseUUIDPipe answers an identifier that is no UUID 400, with error and message, after the guard',
  'default-messages': "NotFoundException(message) and UnauthorizedException(message) have the table's error",
};

/** Apply decorators to a method, and others to its parameters. */
function method(type, name, decorators, parameters = []) {
  Reflect.decorate(decorators, type.prototype, name, Object.getOwnPropertyDescriptor(type.prototype, name));
  parameters.forEach((decorate, index) => decorate(type.prototype, name, index));
}

const refused = (status, problem) => new nest.HttpException(problem, status);

class DataTypes {
  types;
}
IsIn(domain.NAMES, { each: true })(DataTypes.prototype, 'types');

class Store {
  requests = new Map();
}

function module(wrong) {
  nest.Injectable({ scope: wrong === 'request-scope' ? nest.Scope.REQUEST : nest.Scope.DEFAULT })(Store);

  class Guard {
    canActivate(context) {
      const request = context.switchToHttp().getRequest();
      const [scheme, token] = (request.headers.authorization ?? '').split(' ');
      const isKnown = scheme.toLowerCase() === 'bearer' && Object.hasOwn(domain.TOKENS, token);
      request.user = isKnown ? domain.TOKENS[token] : undefined;
      if (request.user) return true;
      if (wrong === 'guard-returns-false') return false;
      if (wrong === 'default-unauthorized') throw new nest.UnauthorizedException();
      if (wrong === 'default-messages') throw new nest.UnauthorizedException(domain.UNAUTHORIZED.message);
      throw refused(401, domain.UNAUTHORIZED);
    }
  }
  nest.Injectable()(Guard);

  /** Reads the body, which the text parser has left as it came. */
  class Body {
    transform(text) {
      if (text === undefined || typeof text !== 'string') return text;
      if (text === '') return undefined;
      try {
        return JSON.parse(text);
      } catch {
        throw refused(400, domain.INVALID_DATA_TYPES);
      }
    }
  }

  class Wrap {
    transform(types) {
      return Object.assign(new DataTypes(), { types: types ?? domain.NAMES });
    }
  }

  class DataRequests {
    constructor(store) {
      this.store = store;
    }

    shown(made) {
      if (wrong === 'entity') return made;
      return {
        requestId: made.id,
        createdAt: made.createdAt,
        isCompleted: false,
        ...(wrong === 'null-columns' && { completedAt: null }),
        dataRequested: wrong === 'simple-array' ? made.types.join() : made.types,
      };
    }

    create(request, body) {
      const types = (body instanceof DataTypes ? body.types : body) ?? domain.NAMES;
      if (!Array.isArray(types) || !types.every((each) => domain.NAMES.includes(each))) {
        if (wrong === 'bad-request') throw new nest.BadRequestException(domain.INVALID_DATA_TYPES.message);
        throw refused(400, domain.INVALID_DATA_TYPES);
      }
      const held = [...this.store.requests.values()].filter((each) => each.user === request.user).length;
      if (held >= domain.LIMIT) throw refused(400, domain.LIMIT_REACHED);
      const made = { id: randomUUID(), user: request.user, createdAt: new Date(), types: [...new Set(types)] };
      this.store.requests.set(made.id, made);
      return this.shown(made);
    }

    find(request, id) {
      const found = this.store.requests.get(id.toLowerCase());
      if (found?.user === request.user) return found;
      if (wrong === 'default-not-found') throw new nest.NotFoundException();
      if (wrong === 'default-messages') throw new nest.NotFoundException(domain.NOT_FOUND.message);
      throw refused(404, domain.NOT_FOUND);
    }

    read(request, id) {
      return this.shown(this.find(request, id));
    }

    remove(request, id) {
      this.store.requests.delete(this.find(request, id).id);
      return 'OK';
    }
  }
  const pipes = {
    'validation-pipe': [Body, Wrap, new nest.ValidationPipe()],
    'parse-array-pipe': [Body, new nest.ParseArrayPipe({ items: String })],
  };
  const uuid = {
    'parse-uuid-pipe': [new nest.ParseUUIDPipe()],
    'parse-uuid-pipe-404': [new nest.ParseUUIDPipe({ errorHttpStatusCode: 404 })],
  };
  Reflect.defineMetadata('design:paramtypes', [Store], DataRequests);
  Reflect.defineMetadata('design:paramtypes', [Object, DataTypes], DataRequests.prototype, 'create');
  nest.Controller('requests')(DataRequests);
  nest.UseGuards(Guard)(DataRequests);
  method(
    DataRequests,
    'create',
    wrong === 'created-201' ? [nest.Post()] : [nest.Post(), nest.HttpCode(200)],
    [nest.Req(), nest.Body(...(pipes[wrong] ?? [Body]))],
  );
  const one = [nest.Req(), nest.Param('id', ...(uuid[wrong] ?? []))];
  method(DataRequests, 'read', [nest.Get(':id')], one);
  const label = nest.Header('Content-Type', 'text/plain');
  const deletion = {
    'ok-labelled-html': [nest.Delete(':id')],
    'no-content-204': [nest.Delete(':id'), nest.HttpCode(204)],
  };
  method(DataRequests, 'remove', deletion[wrong] ?? [nest.Delete(':id'), label], one);

  class Public {
    settings() {
      return domain.SETTINGS;
    }

    data(languages = '*') {
      const asked = languages.split(/[,;]/)[0].trim().toLowerCase();
      let language = asked === '*' ? domain.LANGUAGES[0] : asked.split('-')[0];
      if (wrong === 'language-fallback' && !domain.LANGUAGES.includes(language)) language = domain.LANGUAGES[0];
      if (!domain.LANGUAGES.includes(language)) throw refused(400, domain.LANGUAGE_NOT_SUPPORTED);
      return domain.described(language);
    }

    me(request) {
      return { account: { name: request.user }, types: domain.NAMES };
    }
  }
  nest.Controller()(Public);
  method(Public, 'settings', [nest.Get('settings')]);
  method(Public, 'data', [nest.Get('data')], [nest.Headers('accept-language')]);
  method(Public, 'me', [nest.Get('data/me'), nest.UseGuards(Guard)], [nest.Req()]);

  class Application {}
  nest.Module({ controllers: [DataRequests, Public], providers: [Store, Guard] })(Application);
  return Application;
}

/** Keeps what GET answers by its URL, as the CacheInterceptor of @nestjs/cache-manager does. */
class Caching {
  cache = new Map();

  intercept(context, next) {
    const { method, url } = context.switchToHttp().getRequest();
    if (method !== 'GET') return next.handle();
    if (this.cache.has(url)) return of(this.cache.get(url));
    return next.handle().pipe(tap((body) => this.cache.set(url, body)));
  }
}

start(MISTAKES, VARIANTS, async (wrong) => {
  const app = await NestFactory.create(module(wrong), { bodyParser: wrong === 'body-parser', logger: false });
  if (wrong !== 'body-parser') app.useBodyParser('text', { type: () => true });
  if (wrong === 'cache-interceptor') app.useGlobalInterceptors(new Caching());
  await app.listen(0, '127.0.0.1');
  return app.getHttpServer();
});
