const KEY = 'flagsvc.place';

/** The project that this tab showed last. */
export interface Place {
  readonly organization: string;
  readonly project: string;
}

/** The project around pages whose address names none; undefined in a tab that has shown no project. */
export function readPlace(): Place | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? '') as Place;
  } catch {
    return undefined;
  }
}

export function storePlace(place: Place): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(place));
  } catch {
    // Storage is blocked: the first project is shown instead.
  }
}
