// Tests of a service as a developer may write them: `selftest --command` measures them.
import http from 'k6/http';
import { check } from 'k6';

export const options = { iterations: 1, thresholds: { checks: ['rate==1'] } };

const base = __ENV.DRSI_BASE_URL;
const user = { headers: { Authorization: `Bearer ${__ENV.DRSI_TOKEN}` } };
const json = (answer) => { try { return answer.json() || {}; } catch { return {}; } };

export default function () {
  const settings = json(http.get(`${base}/settings`));
  check(settings, {
    'settings': (it) => it.maxNumberOfRequests > 0 && it.supportedLanaguages !== undefined && it.privacyPolicy !== undefined,
  });
  check(http.get(`${base}/data`), { 'data types': (it) => Array.isArray(json(it)) && json(it).every((each) => each.type) });

  const made = http.post(`${base}/requests`, null, user);
  const request = json(made);
  check(made, { 'created': (it) => it.status === 200 && request.isCompleted === false && request.createdAt !== undefined });
  const place = `${base}/requests/${request.requestId}`;
  check(http.get(place, user), { 'read': (it) => it.status === 200 && json(it).createdAt === request.createdAt });
  check(http.del(place, null, user), { 'deleted': (it) => it.status === 200 && it.body === 'OK' });
  check(http.get(place, user), { 'gone': (it) => it.status === 404 && json(it).error === 'Not Found' });

  const answers = [...Array(settings.maxNumberOfRequests + 1)].map(() => http.post(`${base}/requests`, null, user));
  check(answers[answers.length - 1], { 'limit': (it) => json(it).error === 'MaximumAmountOfRequestsReached' });
  answers.forEach((each) => http.del(`${base}/requests/${json(each).requestId}`, null, user));

  check(http.post(`${base}/requests`), { 'without a token': (it) => it.status === 401 && json(it).error === 'Unauthorized' });
  const unknown = { headers: { ...user.headers, 'Content-Type': 'application/json' } };
  check(http.post(`${base}/requests`, '["no-such-type"]', unknown), { 'unknown type': (it) => json(it).error === 'InvalidDataTypes' });
}
