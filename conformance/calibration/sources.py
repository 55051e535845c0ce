"""The sources of variants that are classes: frameworks, libraries, standards and reports that show such a service.

A variant without one names the place in the specification that it lives on instead.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from conformance.model.requirements import catalogue

_REPORT: Final = re.compile(r"[^,].*, https://\S+")
"""What it is, and its address."""


@cache
def _places() -> frozenset[str]:
    """Return the places of the specification that the catalogue names."""
    return frozenset(place for row in catalogue().rows.values() for place in row.places)


def is_source(text: str) -> bool:
    """Tell whether `text` is a source: a name with an address, or a place in the specification."""
    return text in _places() or _REPORT.fullmatch(text) is not None


ASPNET_MEDIA_TYPES = "ASP.NET Core, the Consumes attribute, https://learn.microsoft.com/en-us/aspnet/core/web-api/"
AWS_WAF = (
    "AWS WAF, rate-based rules, "
    "https://docs.aws.amazon.com/waf/latest/developerguide/waf-rule-statement-type-rate-based.html"
)
BEARER_ERRORS = "RFC 6750, insufficient_scope, https://www.rfc-editor.org/rfc/rfc6750#section-3.1"
BEARER_IN_QUERY = "RFC 6750, a token in the query, https://www.rfc-editor.org/rfc/rfc6750#section-2.3"
BODY_PARSER = "Express, errors of body-parser, https://expressjs.com/en/resources/middleware/body-parser.html"
CLOUDFLARE_CHALLENGES = "Cloudflare, challenges, https://developers.cloudflare.com/cloudflare-challenges/"
CLOUDFLARE_ERRORS = (
    "Cloudflare, errors 5xx, "
    "https://developers.cloudflare.com/support/troubleshooting/http-status-codes/cloudflare-5xx-errors/"
)
CONNECTION_POOLS = "HikariCP, connectionTimeout, https://github.com/brettwooldridge/HikariCP#readme"
DJANGO_CACHE_KEYS = (
    "Django, warnings about keys of the cache, https://docs.djangoproject.com/en/5.2/topics/cache/#cache-key-warnings"
)
DJANGO_CONVERTERS = "Django, path converters, https://docs.djangoproject.com/en/5.2/topics/http/urls/#path-converters"
DJANGO_DATABASE_ERRORS = (
    "Django, database exceptions, https://docs.djangoproject.com/en/5.2/ref/exceptions/#database-exceptions"
)
DJANGO_DEFAULT = "Django, default of a field, https://docs.djangoproject.com/en/5.2/ref/models/fields/#default"
DJANGO_FORMS = "Django, protection against forged requests, https://docs.djangoproject.com/en/5.2/ref/csrf/"
DJANGO_LANGUAGE = (
    "Django, translation.activate, https://docs.djangoproject.com/en/5.2/ref/utils/#django.utils.translation.activate"
)
DJANGO_SESSIONS = "Django, sessions, https://docs.djangoproject.com/en/5.2/topics/http/sessions/"
DJANGO_SLASH = "Django, APPEND_SLASH, https://docs.djangoproject.com/en/5.2/ref/settings/#append-slash"
DOCKER_SHORT_IDS = "Docker, shortened identifiers, https://docs.docker.com/reference/cli/docker/container/ls/"
DOTNET_RANDOM = (
    ".NET, System.Random is not safe for threads, https://learn.microsoft.com/en-us/dotnet/api/system.random"
)
DRF_AUTHENTICATION = (
    "Django REST framework, authentication, https://www.django-rest-framework.org/api-guide/authentication/"
)
DRF_BROWSABLE_API = (
    "Django REST framework, the browsable API, https://www.django-rest-framework.org/topics/browsable-api/"
)
ECMASCRIPT_KEYS = (
    "JavaScript, property accessors, "
    "https://developer.mozilla.org/en-US/docs/Web/JavaScript/Reference/Operators/Property_accessors"
)
ECMASCRIPT_PROTOTYPES = (
    "JavaScript, inherited properties, "
    "https://developer.mozilla.org/en-US/docs/Web/JavaScript/Guide/Inheritance_and_the_prototype_chain"
)
ECMASCRIPT_SPLICE = (
    "JavaScript, splice with a negative start, "
    "https://developer.mozilla.org/en-US/docs/Web/JavaScript/Reference/Global_Objects/Array/splice"
)
EXPECTATION = "RFC 9110, Expect, https://www.rfc-editor.org/rfc/rfc9110#section-10.1.1"
EXPRESS_404 = "Express, 404 responses, https://expressjs.com/en/starter/faq.html"
EXPRESS_FORMATS = "Express, res.format, https://expressjs.com/en/api.html#res.format"
FAIL2BAN = "Fail2ban, https://github.com/fail2ban/fail2ban"
FASTAPI_VALIDATION = "FastAPI, errors of validation, https://fastapi.tiangolo.com/tutorial/handling-errors/"
FASTIFY_EMPTY_BODY = "Fastify, FST_ERR_CTP_EMPTY_JSON_BODY, https://fastify.dev/docs/latest/Reference/Errors/"
FLASK_SILENT = "Flask, get_json, https://flask.palletsprojects.com/en/stable/api/#flask.Request.get_json"
GITHUB_NOT_FOUND = (
    "GitHub, 404 for private resources, https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api"
)
GITHUB_RATE_LIMITS = (
    "GitHub, secondary rate limits, https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api"
)
GO_JSON = "Go, Unmarshal, https://pkg.go.dev/encoding/json#Unmarshal"
GO_READER = "Go, io.Reader, https://pkg.go.dev/io#Reader"
HAL_LINKS = (
    "Spring HATEOAS, links of a representation, https://docs.spring.io/spring-hateoas/docs/current/reference/html/"
)
HEROKU_TIMEOUT = "Heroku, error H12, https://devcenter.heroku.com/articles/error-codes#h12-request-timeout"
JACKSON_ARRAYS = (
    "Jackson, ACCEPT_SINGLE_VALUE_AS_ARRAY, https://github.com/FasterXML/jackson-databind/wiki/Deserialization-Features"
)
JAVA_DATE_FORMAT = "Stack Overflow, a quoted Z in SimpleDateFormat, https://stackoverflow.com/questions/19112357"
JAVA_FORMATTER = (
    "Java, localized digits of java.util.Formatter, "
    "https://docs.oracle.com/en/java/javase/21/docs/api/java.base/java/util/Formatter.html"
)
JAVA_RANDOM = (
    "Java, java.util.Random, https://docs.oracle.com/en/java/javase/21/docs/api/java.base/java/util/Random.html"
)
JSON_SERVER = "json-server, filters, https://github.com/typicode/json-server#conditions"
JETTY_FIELD_CACHE = "Jetty, issue 5446, https://github.com/jetty/jetty.project/issues/5446"
JSON_ORDER = "RFC 8259, objects have no order, https://www.rfc-editor.org/rfc/rfc8259#section-4"
JSON_SCHEMA_INTEGER = (
    "JSON Schema, 1.0 is an integer, https://json-schema.org/understanding-json-schema/reference/numeric#integer"
)
JSON_SCHEMA_UNIQUE = (
    "JSON Schema, uniqueItems, https://json-schema.org/understanding-json-schema/reference/array#uniqueItems"
)
JWT_DECODE = "jsonwebtoken, decode without verification, https://github.com/auth0/node-jsonwebtoken#readme"
KUBERNETES_FINALIZERS = (
    "Kubernetes, deletion with finalizers, "
    "https://kubernetes.io/docs/concepts/overview/working-with-objects/finalizers/"
)
KONG_NO_ROUTE = "Kong, no Route matched, https://docs.konghq.com/gateway/latest/how-kong-works/routing-traffic/"
KUBERNETES_ROLLOUT = (
    "Kubernetes, termination of pods, https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-termination"
)
LAMBDA_502 = "AWS, 502 of API Gateway, https://repost.aws/knowledge-center/malformed-502-api-gateway"
LANGUAGE_LOOKUP = "RFC 4647, lookup of languages, https://www.rfc-editor.org/rfc/rfc4647#section-3.4"
LARAVEL_LOGIN = "Laravel, https://laravel.com/docs/12.x/authentication#redirecting-unauthenticated-users"
LARAVEL_SOFT_DELETES = "Laravel, soft deleting, https://laravel.com/docs/12.x/eloquent#soft-deleting"
LENGTH_REQUIRED = "RFC 9110, 411 Length Required, https://www.rfc-editor.org/rfc/rfc9110#section-15.5.12"
LINQ_SINGLE = ".NET, Enumerable.Single, https://learn.microsoft.com/en-us/dotnet/api/system.linq.enumerable.single"
LOCKED = "RFC 4918, 423 Locked, https://www.rfc-editor.org/rfc/rfc4918#section-11.3"
MATH_RANDOM = "Stack Overflow, UUIDs in JavaScript, https://stackoverflow.com/questions/105034"
MEDIA_TYPE = "RFC 9110, parameters of media types, https://www.rfc-editor.org/rfc/rfc9110#section-8.3.1"
MONGODB_FIND_AND_DELETE = (
    "MongoDB, findOneAndDelete, https://www.mongodb.com/docs/manual/reference/method/db.collection.findOneAndDelete/"
)
MONGODB_REGEX = "MongoDB, $regex, https://www.mongodb.com/docs/manual/reference/operator/query/regex/"
MONGODB_SECONDARIES = "MongoDB, reads of secondaries, https://www.mongodb.com/docs/manual/core/read-preference/"
MONGOOSE_DELETE = "Mongoose, findByIdAndDelete, https://mongoosejs.com/docs/api/model.html#Model.findByIdAndDelete()"
MYSQL_BOOLEAN = "MySQL, BOOL is TINYINT(1), https://dev.mysql.com/doc/refman/8.4/en/numeric-type-syntax.html"
MYSQL_CASE = "MySQL, case in string searches, https://dev.mysql.com/doc/refman/8.4/en/case-sensitivity.html"
MYSQL_DEADLOCKS = "MySQL, deadlocks in InnoDB, https://dev.mysql.com/doc/refman/8.4/en/innodb-deadlocks.html"
MYSQL_PADDING = "MySQL, CHAR and VARCHAR, https://dev.mysql.com/doc/refman/8.4/en/char.html"
MYSQL_SECONDS = "MySQL, fractional seconds, https://dev.mysql.com/doc/refman/8.4/en/fractional-seconds.html"
NEGOTIATION = "RFC 9110, Accept-Language, https://www.rfc-editor.org/rfc/rfc9110#section-12.5.4"
NGINX_BODY_SIZE = (
    "nginx, client_max_body_size, https://nginx.org/en/docs/http/ngx_http_core_module.html#client_max_body_size"
)
NGINX_CACHE = "nginx, proxy_cache_valid, https://nginx.org/en/docs/http/ngx_http_proxy_module.html#proxy_cache_valid"
NGINX_GZIP = "nginx, gzip, https://nginx.org/en/docs/http/ngx_http_gzip_module.html"
NGINX_RATE = "nginx, limit_req, https://nginx.org/en/docs/http/ngx_http_limit_req_module.html"
NGINX_RETRIES = (
    "nginx, proxy_next_upstream, https://nginx.org/en/docs/http/ngx_http_proxy_module.html#proxy_next_upstream"
)
NODE_HEADERS = "Node.js, the largest header, https://nodejs.org/api/http.html#httpmaxheadersize"
NODE_KEEP_ALIVE = "Node.js, server.keepAliveTimeout, https://nodejs.org/api/http.html#serverkeepalivetimeout"
NODE_STREAMS = "Node.js, readable.setEncoding, https://nodejs.org/api/stream.html#readablesetencodingencoding"
NOT_ACCEPTABLE = "RFC 9110, 406 Not Acceptable, https://www.rfc-editor.org/rfc/rfc9110#section-15.5.7"
OAUTH_ERRORS = "RFC 6749, error responses, https://www.rfc-editor.org/rfc/rfc6749#section-5.2"
OAUTH_LIFETIME = "RFC 6749, expires_in, https://www.rfc-editor.org/rfc/rfc6749#section-5.1"
OPTIMISTIC_LOCKS = (
    "Hibernate, optimistic locking, "
    "https://docs.jboss.org/hibernate/orm/6.6/userguide/html_single/Hibernate_User_Guide.html#locking-optimistic"
)
OWASP_RULES = "OWASP Core Rule Set, https://coreruleset.org/docs/"
PHP_IN_ARRAY = "PHP, in_array, https://www.php.net/manual/en/function.in-array.php"
POSTGRESQL_COMMIT = "PostgreSQL, read committed, https://www.postgresql.org/docs/current/transaction-iso.html"
POSTGRESQL_LIKE = "PostgreSQL, LIKE, https://www.postgresql.org/docs/current/functions-matching.html"
POSTGRESQL_NUL = "PostgreSQL, no NUL in texts, https://www.postgresql.org/docs/current/datatype-json.html"
POSTGRESQL_UUID = "PostgreSQL, input of UUIDs, https://www.postgresql.org/docs/current/datatype-uuid.html"
PROBLEM_DETAILS = "RFC 9457, problem details, https://www.rfc-editor.org/rfc/rfc9457"
PYTHON_DEFAULTS = (
    "Python, shared default values, "
    "https://docs.python.org/3/faq/programming.html#why-are-default-values-shared-between-objects"
)
PYTHON_DOLLAR = "Python, $ of regular expressions, https://docs.python.org/3/library/re.html#regular-expression-syntax"
REDIS_EVICTION = "Redis, eviction of keys, https://redis.io/docs/latest/develop/reference/eviction/"
REDIS_INCR = "Redis, counters with INCR, https://redis.io/docs/latest/commands/incr/"
RETRY_AFTER = "RFC 9110, Retry-After, https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3"
S3_AUTHORIZATION = "Amazon S3, error responses, https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html"
SEE_OTHER = "RFC 9110, 303 See Other, https://www.rfc-editor.org/rfc/rfc9110#section-15.4.4"
SERVLET_CHARSET = (
    "Jakarta Servlet, the encoding of a request, "
    "https://jakarta.ee/specifications/servlet/6.0/jakarta-servlet-spec-6.0#request-data-encoding"
)
SERVLET_THREADS = (
    "Jakarta Servlet, multithreading, "
    "https://jakarta.ee/specifications/servlet/6.0/jakarta-servlet-spec-6.0#multithreading-issues"
)
SHARED_CACHES = "RFC 9111, shared caches and Authorization, https://www.rfc-editor.org/rfc/rfc9111#section-3.5"
SIDEKIQ_UNIQUE_JOBS = "sidekiq-unique-jobs, conflict strategies, https://github.com/mhenrixon/sidekiq-unique-jobs"
SINGLE_PAGE_APPS = "Vue Router, pages of the history mode, https://router.vuejs.org/guide/essentials/history-mode.html"
SPRING_ALL_PATHS = (
    "Spring Security, authorization of requests, "
    "https://docs.spring.io/spring-security/reference/servlet/authorization/authorize-http-requests.html"
)
SPRING_BODY = (
    "Spring, RequestBody.required, "
    "https://docs.spring.io/spring-framework/docs/current/javadoc-api/org/springframework/web/bind/annotation/RequestBody.html"
)
SPRING_CONVERTERS = (
    "Spring, message conversion, https://docs.spring.io/spring-framework/reference/web/webmvc/message-converters.html"
)
SPRING_ERROR_OBJECT = (
    "Spring Boot, attributes of errors, "
    "https://docs.spring.io/spring-boot/reference/web/servlet.html#web.servlet.spring-mvc.error-handling"
)
SPRING_ERROR_PAGE = (
    "Spring Boot, error handling, "
    "https://docs.spring.io/spring-boot/reference/web/servlet.html#web.servlet.spring-mvc.error-handling"
)
SPRING_IDENTIFIERS = (
    "Spring, AlternativeJdkIdGenerator, "
    "https://docs.spring.io/spring-framework/docs/current/javadoc-api/org/springframework/util/AlternativeJdkIdGenerator.html"
)
SPRING_LOGIN = (
    "Spring Security, entry points, "
    "https://docs.spring.io/spring-security/reference/servlet/authentication/architecture.html"
)
SQLITE_ROW_IDS = "SQLite, row numbers of deleted rows, https://www.sqlite.org/autoinc.html"
SQL_SERVER_MINUTES = (
    "SQL Server, smalldatetime, https://learn.microsoft.com/en-us/sql/t-sql/data-types/smalldatetime-transact-sql"
)
SQL_SERVER_UUID = (
    "SQL Server, uniqueidentifier, https://learn.microsoft.com/en-us/sql/t-sql/data-types/uniqueidentifier-transact-sql"
)
STALE_SETS = (
    "Scaling Memcache at Facebook, stale sets, "
    "https://www.usenix.org/conference/nsdi13/technical-sessions/presentation/nishtala"
)
TOMCAT_PATHS = "Tomcat, relaxedPathChars, https://tomcat.apache.org/tomcat-10.1-doc/config/http.html"
TOO_MANY_REQUESTS = "RFC 6585, 429 Too Many Requests, https://www.rfc-editor.org/rfc/rfc6585#section-4"
TRANSLATED_FIELDS = (
    "django-modeltranslation, a column for each language, "
    "https://django-modeltranslation.readthedocs.io/en/latest/registration.html"
)
UUID_VERSIONS = "RFC 9562, UUID version 7, https://www.rfc-editor.org/rfc/rfc9562#section-5.7"
VARY = "RFC 9110, Vary, https://www.rfc-editor.org/rfc/rfc9110#section-12.5.5"
WSGI_LENGTH = "Werkzeug, Content-Length of a stream, https://werkzeug.palletsprojects.com/en/stable/wsgi/"
