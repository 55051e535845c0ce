// What the services publish: the same data for all of them, typed from the specification.

export const LIMIT = 3;
export const LANGUAGES = ['en', 'nl', 'de'];
export const TOKENS = { 'k2Vd-Rm93Xp5sTz7Bq1Jw': 'alice', 'u8Fn-Lc46Hy0gPe3Ka9Mi': 'bob' };

export const SETTINGS = {
  forgotPasswordLink: 'https://energy.example/password',
  legalEntity: 'Example Energy N.V.',
  maxNumberOfRequests: LIMIT,
  oAuthClientId: 'energy-citizen-app',
  oAuthUrl: 'https://login.energy.example/oauth2',
  organisationName: 'Example Energy',
  privacyPolicy: 'https://energy.example/privacy',
  privacyContactEmail: 'privacy@energy.example',
  supportedLanaguages: LANGUAGES,
  termsOfService: 'https://energy.example/terms',
};

const TYPES = [
  ['account', { en: 'Name and address', nl: 'Naam en adres', de: 'Name und Adresse' }, false],
  ['meter-readings', { en: 'Meter readings', nl: 'Meterstanden', de: 'Zählerstände' }, true],
  ['invoices', { en: 'Invoices', nl: 'Facturen', de: 'Rechnungen' }, false],
  ['préavis', { en: 'Notices', nl: 'Meldingen', de: 'Hinweise' }, true],
];
export const NAMES = TYPES.map(([type]) => type);

export const described = (language) =>
  TYPES.map(([type, descriptions, isErasable]) => ({
    type,
    description: descriptions[language],
    context: 'https://schema.org/Invoice',
    processingGround: 'performance of a contract',
    isErasable,
    isRectifiable: true,
  }));

export const UNAUTHORIZED = {
  error: 'Unauthorized',
  message: 'You are not authorized. Generate authentication tokens via OAuth to access this resource.',
};
export const NOT_FOUND = { error: 'Not Found', message: 'Could not find a data request with this id.' };
export const LIMIT_REACHED = {
  error: 'MaximumAmountOfRequestsReached',
  message: 'The maximum amount of requests has been reached.',
};
export const INVALID_DATA_TYPES = {
  error: 'InvalidDataTypes',
  message: 'The data types that were specified do not match the available datatypes for this organisation.',
};
export const LANGUAGE_NOT_SUPPORTED = {
  error: 'LanguageNotSupported',
  message: 'The language you are requesting is not supported by this organisation',
};
