/** Addresses of dashboard pages that emails and answers link to. The only place that builds such addresses. */
export interface DashboardLinks {
  acceptInvitation(token: string): string;
  resetPassword(token: string): string;
  breakGlass(place: {
    readonly organizationId: string;
    readonly projectId: string;
    readonly id: string;
  }): string;
}

/** `dashboardUrl` has no slash at its end. Tokens are in the fragment, which browsers do not send to any server. */
export function createDashboardLinks(dashboardUrl: string): DashboardLinks {
  return {
    acceptInvitation: (token) => `${dashboardUrl}/accept-invitation#token=${token}`,
    resetPassword: (token) => `${dashboardUrl}/reset-password#token=${token}`,
    breakGlass: ({ organizationId, projectId, id }) =>
      `${dashboardUrl}/o/${organizationId}/p/${projectId}/freezes/break-glass/${id}`,
  };
}
