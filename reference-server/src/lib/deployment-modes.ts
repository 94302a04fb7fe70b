/** Feature sets ("Deployment modes"), each with those before it. */
export const DEPLOYMENT_MODES = ['oss', 'saas', 'enterprise'] as const;
export type DeploymentMode = (typeof DEPLOYMENT_MODES)[number];

/** Who may come in: everyone, who is invited, nobody new. */
export const REGISTRATION_MODES = ['open', 'invite', 'closed'] as const;
export type RegistrationMode = (typeof REGISTRATION_MODES)[number];
