/** Deployment modes ("Deployment modes"); each includes the features of those before it. */
export const DEPLOYMENT_MODES = ['oss', 'saas', 'enterprise'] as const;
export type DeploymentMode = (typeof DEPLOYMENT_MODES)[number];

/** Who may register: everyone, invited people, nobody. */
export const REGISTRATION_MODES = ['open', 'invite', 'closed'] as const;
export type RegistrationMode = (typeof REGISTRATION_MODES)[number];
