/** Of this package; a test holds it to the manifest. */
export const VERSION = '0.1.0';
