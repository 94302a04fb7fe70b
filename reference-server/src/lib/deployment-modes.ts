/** Deployment modes ("Deployment modes"); each includes the features of those before it. */
export const DEPLOYMENT_MODES = ['oss', 'saas', 'enterprise'] as const;
export type DeploymentMode = (typeof DEPLOYMENT_MODES)[number];

/** Registration is open to everyone, to invited people, or to nobody. */
export const REGISTRATION_MODES = ['open', 'invite', 'closed'] as const;
export type RegistrationMode = (typeof REGISTRATION_MODES)[number];
