/** Installs what the folder's lockfile lists, unless it is installed. Throws if the registry cannot be reached. */
export function installOnDemand(folder: string): void;
