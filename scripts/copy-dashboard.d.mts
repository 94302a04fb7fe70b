export declare function copyDashboard(from: string, to: string): void;
