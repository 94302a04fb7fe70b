/** Five users with the attributes that a service knows. */
export const users = [
  {
    user_key: 'ada',
    attributes: {
      email: 'ada@example.com',
      country: 'NL',
      locale: 'nl-NL',
      plan: 'pro',
      seats: 12,
      app_version: '2.4.0',
    },
  },
  {
    user_key: 'grace',
    attributes: {
      email: 'grace@navy.test',
      country: 'US',
      locale: 'en-US',
      plan: 'enterprise',
      seats: 900,
      app_version: '2.1.0',
    },
  },
  {
    user_key: 'edsger',
    attributes: {
      email: 'edsger@thes.test',
      country: 'NL',
      locale: 'nl',
      plan: 'free',
      seats: 1,
      app_version: '1.9.3',
    },
  },
  {
    user_key: 'barbara',
    attributes: {
      email: 'barbara@clu.test',
      country: 'US',
      locale: 'en-US',
      plan: 'pro',
      seats: 40,
      app_version: 'v2.10.1',
    },
  },
  { user_key: 'visitor', attributes: { country: 'DE', locale: 'de-DE' } },
] as const;
