package dev.agwp.server.http;

import java.io.IOException;
import org.glassfish.grizzly.filterchain.BaseFilter;
import org.glassfish.grizzly.filterchain.FilterChainBuilder;
import org.glassfish.grizzly.filterchain.FilterChainContext;
import org.glassfish.grizzly.filterchain.FilterChainEvent;
import org.glassfish.grizzly.filterchain.NextAction;
import org.glassfish.grizzly.http.HttpEvents.IncomingHttpUpgradeEvent;
import org.glassfish.grizzly.http.server.AddOn;
import org.glassfish.grizzly.http.server.NetworkListener;

/**
 * Forgets an Upgrade header, as RFC 9110 lets a server do. Grizzly takes the body after one for the new protocol's, waits for more
 * until it times out and answers 500; and Java's own HttpClient offers h2c with every request, unless told not to.
 */
final class UpgradesIgnored extends BaseFilter implements AddOn {
  @Override
  public void setup(NetworkListener listener, FilterChainBuilder filters) {
    filters.add(this);
  }

  @Override
  public NextAction handleEvent(FilterChainContext context, FilterChainEvent event) throws IOException {
    if (event instanceof IncomingHttpUpgradeEvent upgrade) {
      upgrade.getHttpHeader().getUpgradeDC().recycle();
      upgrade.getHttpHeader().setIgnoreContentModifiers(false);
    }
    return context.getInvokeAction();
  }
}
